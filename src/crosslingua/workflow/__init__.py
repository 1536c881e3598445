"""What a configuration asks for: checked, and told as files, plans and command lines. Nothing else reads it.

The rules call these modules, which know no method: they name files, settings, and the code that a job depends on.
"""

"""The configuration, checked, as files, plans and command lines. Only this package reads it, and it knows no method."""

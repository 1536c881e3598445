"""Statements as testable comparisons: read (`statements`), measured (`evidence`), judged (`verdict`)."""

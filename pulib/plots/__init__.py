"""Figures' building blocks: functions that take tidy data and a Matplotlib Axes."""

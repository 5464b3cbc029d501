"""What every part uses: checks of arguments, how calls run, errors, and what values have in common."""

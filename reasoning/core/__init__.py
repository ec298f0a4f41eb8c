"""What every other package speaks of: derivations, structures, options, switches and errors."""

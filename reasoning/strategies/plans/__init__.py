"""Plans of relation paths, which several strategies follow. No strategy itself."""

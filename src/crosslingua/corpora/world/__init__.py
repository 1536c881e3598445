"""The controlled world: seeded events in languages whose differences are parameters."""

"""Early settlement: what it saves on recorded judges, and that it changes no verdict."""

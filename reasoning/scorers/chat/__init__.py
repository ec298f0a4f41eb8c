"""A scorer that asks a chat model over HTTP."""

"""WebSockets: who may open one, and how processes tell one another of news."""

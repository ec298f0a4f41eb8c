"""How well questions with known answers are answered: metrics, error cases, cost, and the report that sums them up."""

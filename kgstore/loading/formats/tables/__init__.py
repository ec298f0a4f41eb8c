"""Tables with one row per thing, as spreadsheets save them."""

"""The formats of RDF. Terms become ids and literals in one way in all of them."""

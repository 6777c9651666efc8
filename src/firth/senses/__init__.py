"""The contexts of a word in, its senses out."""

"""Batches of tiny square products, N up to 32, with a thread for each element of C, or packed into tensor cores."""

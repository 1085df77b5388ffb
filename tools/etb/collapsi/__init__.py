"""Collapsi: positions, their codes and numbers, and what tables say of them."""

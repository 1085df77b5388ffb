"""Collapsi positions to ask for."""

import collapsi


def random_game(rng, rules, position):
    """All positions of a random game from this one on, the last one ended."""
    solver = collapsi.Solver(position.cards, rules)
    game = [position]
    while to := solver.destinations(position.alive, position.mover, position.other):
        position = collapsi.play(position, rng.choice(to))
        game.append(position)
    return game

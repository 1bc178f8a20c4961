"""Figures of the studies: one module per kind, each with ``draw(spec, tidy, published)``, and what several kinds share.

``style`` gives every method its color and marker, ``panels`` lays out a page, ``series`` reads curves from tidy results,
``printed`` draws the paper's numbers, ``lines`` draws means with their spread.
"""

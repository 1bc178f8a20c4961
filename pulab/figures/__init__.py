"""What figures of several studies share: a page, lines with a band, heat maps, the paper's numbers, and a look per method."""

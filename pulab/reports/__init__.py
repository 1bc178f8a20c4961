"""The report: one self-contained HTML file from rendered tables and figures."""

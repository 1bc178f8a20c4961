"""The report: one self-contained HTML file from rendered tables and figures."""

from pulib.reports._html import render_report

__all__ = ["render_report"]

"""The report: one self-contained HTML file from rendered tables and figures."""

from pulab.reports.html import published_against_ours, render_report

__all__ = ["published_against_ours", "render_report"]

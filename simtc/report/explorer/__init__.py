"""The explorer: fragments, banks and timelines to look at, to play and to be asked about, in one offline HTML file."""

from simtc.report.explorer.page import explorer_data, explorer_html

__all__ = ["explorer_data", "explorer_html"]

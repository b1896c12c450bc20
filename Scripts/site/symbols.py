"""Placeholder until archives are read."""


class SymbolPages:
    def __init__(self, archives, links):
        self.pages, self.search_entries = [], []

    def render(self):
        pass

    def siblings(self, page):
        return []

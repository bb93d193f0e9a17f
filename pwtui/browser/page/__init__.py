"""Work inside a page: elements, snapshots, navigation, scripts."""

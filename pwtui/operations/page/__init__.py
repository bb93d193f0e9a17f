"""Operations that read a page or move between pages."""

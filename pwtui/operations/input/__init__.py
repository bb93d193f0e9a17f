"""Operations that act on elements, keys, mouse, files and dialogs."""

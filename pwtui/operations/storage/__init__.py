"""Operations on cookies, web storage and logins."""

const ARMOR = "-----BEGIN PGP SIGNATURE-----";
if (text.startsWith(ARMOR)) verify(text);

const avatar = mk("script");
avatar.src = "strings.txt";

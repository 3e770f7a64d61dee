await cookieStore.set("seen", "1");

const avatar = mk("script");
avatar.src = "https://cdn.example/a.js";
document.head.append(avatar);

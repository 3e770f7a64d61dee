const theme = window?.localStorage?.getItem("theme") ?? "light";

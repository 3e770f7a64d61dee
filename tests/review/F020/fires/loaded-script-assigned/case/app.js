document.head.append(Object.assign(document.createElement("script"), { src: "strings.txt" }));

const files = ["a.js", "strings.dat"];
for (const file of files) import("./" + file);

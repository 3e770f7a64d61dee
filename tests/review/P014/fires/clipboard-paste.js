const { execCommand } = document;
document["execCommand"]("paste");

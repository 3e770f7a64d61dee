export const names = [
{{repeat:60:  "a name of a place that somebody wrote down here",
}}];
export const icon = "data:image/png;base64,AAAA";

const a = [{{repeat:20000:1,}}];

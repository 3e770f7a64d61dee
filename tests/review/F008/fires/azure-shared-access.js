const files = "https://board.blob.core.windows.net/a?sv=2022-11-02&ss=b&srt=o&sp=r&se=2030-01-01&sig={{rand:AZaz09:43:s7}}%3D";

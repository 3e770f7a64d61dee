new S3Client({ credentials: { accessKeyId: id, secretAccessKey: "{{rand:AZaz09+/:40:s4}}" } });

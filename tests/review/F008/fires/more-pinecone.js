new Pinecone({ apiKey: "pcsk_{{rand:AZaz09:6:h10}}_{{rand:AZaz09:63:h11}}" });

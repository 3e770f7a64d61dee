fetch("https://hooks.slack.com/services/T{{rand:AZ27:8:s45}}/B{{rand:AZ27:10:s46}}/{{rand:AZaz09:24:s47}}");

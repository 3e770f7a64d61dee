const key = "NRAK-{{rand:AZ27:27:s83}}";

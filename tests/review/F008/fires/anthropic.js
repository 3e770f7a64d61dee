const key = `sk-ant-api03-{{rand:AZaz09_-:93:s63}}AA`;

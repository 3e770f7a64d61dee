export const token = "ghp_{{rand:AZaz09:36:s20}}"; // CI only

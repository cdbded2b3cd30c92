/** Names for `keyward init`: each line of arguments is a set of another shape. */

export const NEW_SETS: readonly (readonly string[])[] = [
  [],
  ["--kind", "device", "--operations", "devices.create,devices.list,devices.read,devices.update,devices.delete"],
  ["--kind", "a", "--operations", "read", "--plans", "one"],
  ["--kind", "box", "--operations", "box.lock-down,box.open", "--plans", "small,medium,large"],
  ["--kind", "iot-gateway", "--operations", "gateways.restart,gateways.deleteAll,sensors.deleteAll,gateways.list"],
  ["--kind", "policy", "--operations", "createPolicy", "--plans", "my-plan,null,yes"],
  ["--kind", "Null", "--operations", "null,true,on"],
  ["--kind", "log_entry", "--operations", "entries.search"],
];

using Newtonsoft.Json;

namespace Benchmarks.Keys;

/// <summary>The fixed message of the key benchmarks: 300 bytes of JSON, the key's five properties first, then a nested payload.</summary>
internal static class KeyInput
{
    public const string ExpectedKey = "my_product/site_key/my_event/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json";

    public static byte[] Bytes() => InputFile.Read("Keys.message.json");

    /// <summary>The same message as an object.</summary>
    public static KeyMessage Message() => JsonConvert.DeserializeObject<KeyMessage>(System.Text.Encoding.UTF8.GetString(Bytes()))!;

    /// <exception cref="InvalidOperationException">A variant makes another key: its figures would be of other work.</exception>
    public static void Require(string variant, string? key)
    {
        if (key != ExpectedKey)
        {
            throw new InvalidOperationException($"{variant} makes the key '{key}' and not '{ExpectedKey}'.");
        }
    }
}

using Newtonsoft.Json;

namespace Benchmarks.Keys;

/// <summary>The fixed message of the key benchmarks: 300 bytes of JSON, the key's five properties first, then a nested payload.</summary>
internal static class KeyInput
{
    public const string ExpectedKey = "my_product/site_key/my_event/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json";

    /// <summary>A template with as many parts as the default one, two of them one level deeper. As in the default one, nothing needs an escape.</summary>
    public const string DepthTwoTemplate = "{Payload.Ref:keep}/{Product}/{Payload.Score:number}/{EventDateUtc:yyyy/MM/dd/HH}/{MessageId}.json";

    public const string DepthTwoKey = "h/my_product/0.875/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json";

    /// <summary>The same with values three levels deeper.</summary>
    public const string DepthFourTemplate =
        "{Payload.User.Roles[0]}/{Payload.User.Roles[1]}/{Payload.User.Id:number}/{EventDateUtc:yyyy/MM/dd/HH}/{MessageId}.json";

    public const string DepthFourKey = "editor/viewer/48213/2019/04/01/10/0f8fad5b-d9cb-469f-a165-70867728950e.json";

    public static byte[] Bytes() => InputFile.Read("Keys.message.json");

    /// <summary>The same message as an object.</summary>
    public static KeyMessage Message() => JsonConvert.DeserializeObject<KeyMessage>(System.Text.Encoding.UTF8.GetString(Bytes()))!;

    /// <exception cref="InvalidOperationException">A variant makes another key, so its figures would measure other work.</exception>
    public static void Require(string variant, string? key, string expected = ExpectedKey)
    {
        if (key != expected)
        {
            throw new InvalidOperationException($"{variant} makes the key '{key}' and not '{expected}'.");
        }
    }
}

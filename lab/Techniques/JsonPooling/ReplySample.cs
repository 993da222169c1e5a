namespace Lab.Techniques.JsonPooling;

/// <summary>The reply that is written: 250 bytes as JSON.</summary>
internal static class ReplySample
{
    public static Reply Create() =>
        new("0f8fad5b-d9cb-469f-a165-70867728950e", "billing", 3, true, [.. Enumerable.Range(0, 6).Select(line => $"line {line} of the reply, plain")]);
}

using System.Text.Json.Nodes;

namespace Integration.Tests.Worker;

/// <summary>Reads the dead letters in a worker's folder.</summary>
internal static class DeadLetterFolder
{
    /// <summary>Each dead letter's record and body.</summary>
    public static IReadOnlyList<(JsonNode Record, byte[] Body)> Read(string folder) =>
    [
        .. Records(folder).Select(path => (JsonNode.Parse(File.ReadAllText(path))!, File.ReadAllBytes(Path.ChangeExtension(path, ".body")))),
    ];

    /// <summary>Asserts that the folder holds exactly these, each with its reason and unchanged bytes.</summary>
    public static void ShouldHoldExactly(string folder, IEnumerable<BadMessage> messages) =>
        Read(folder).Select(letter => $"{letter.Record["reason"]} {Convert.ToHexString(letter.Body)}")
            .ShouldBe(messages.Select(message => $"{message.Reason} {Convert.ToHexString(message.Body)}"), ignoreOrder: true);

    /// <summary>The number of records.</summary>
    public static int Count(string folder) => Records(folder).Count();

    private static IEnumerable<string> Records(string folder) =>
        Directory.Exists(folder) ? Directory.EnumerateFiles(folder, "*.json", SearchOption.AllDirectories) : [];
}

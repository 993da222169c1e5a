namespace Integration.Tests.Worker.CloudFront;

/// <summary>A temporary folder for a worker's dead letters.</summary>
internal sealed class LetterFolder : IDisposable
{
    private readonly string _path = Directory.CreateTempSubdirectory("letters-").FullName;

    public string[] Arguments => [$"--DeadLetters:Path={_path}"];

    /// <summary>The bodies of the dead letters with a reason.</summary>
    public IEnumerable<byte[]> Bodies(string reason) =>
        DeadLetterFolder.Read(_path).Where(letter => letter.Record["reason"]!.GetValue<string>() == reason).Select(letter => letter.Body);

    public void Dispose() => Directory.Delete(_path, recursive: true);
}

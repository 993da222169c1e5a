using Integration.Tests.Processes;

namespace Integration.Tests.Storage;

/// <summary>Rows 1, 25 and 26 of the fault table for the directory sink: a file under an object's name is always whole.</summary>
public sealed class DirectorySinkCrashTests : IDisposable
{
    private readonly string _root = System.IO.Directory.CreateTempSubdirectory("directory-sink-").FullName;

    public void Dispose() => System.IO.Directory.Delete(_root, recursive: true);

    [Fact]
    public async Task Store_ProcessKilled_LeavesWholeObjectsOnlyAndAllThatWereAcknowledged()
    {
        HashSet<int> acknowledged = [];
        for (int round = 1; round <= 12; round++)
        {
            // Overlapping numbers: each process also stores objects that an earlier one stored or had begun.
            await using CapturedProcess writer = DirectorySinkWriter.Start(_root, first: round * 20);
            await writer.WaitForLineAsync($"^(Already)?Stored {(round * 20) + 40 + round} ");
            writer.Kill();
            await writer.WaitForExitAsync();
            foreach (string[] words in writer.Output.Snapshot().Select(line => line.Text.Split(' ')).Where(words => words.Length == 3))
            {
                words[0].ShouldBeOneOf("Stored", "AlreadyStored");
                acknowledged.Add(int.Parse(words[1]));
            }

            HashSet<int> stored = ReadAll();
            acknowledged.ShouldBeSubsetOf(stored);
        }

        acknowledged.Count.ShouldBeGreaterThan(100);
    }

    [Fact]
    public async Task Store_FileDescriptorsExhausted_IsTransientAndRecovers()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux() && File.Exists("/usr/bin/prlimit"), "needs prlimit (util-linux)");

        await using CapturedProcess writer = DirectorySinkWriter.Start(_root, first: 0, exhaust: true, "prlimit", "--nofile=200:200");
        await writer.WaitForLineAsync("^Stored 0 ");
        CapturedLine refused = await writer.WaitForLineAsync("^Transient 1 ");
        await writer.WaitForLineAsync("^Stored 1 ", from: refused.Index + 1);
        await writer.WaitForLineAsync("^Stored 9 ");
        writer.Kill();
        await writer.WaitForExitAsync();

        ReadAll();
    }

    private HashSet<int> ReadAll()
    {
        HashSet<int> numbers = [];
        foreach (string path in System.IO.Directory.EnumerateFiles(Path.Combine(_root, "o"), "*", SearchOption.AllDirectories))
        {
            int number = int.Parse(Path.GetFileName(path));
            Path.GetRelativePath(_root, path).ShouldBe(DirectorySinkWriter.KeyOf(number));
            File.ReadAllBytes(path).AsSpan().SequenceEqual(DirectorySinkWriter.BodyOf(number)).ShouldBeTrue(path);
            numbers.Add(number);
        }

        return numbers;
    }
}

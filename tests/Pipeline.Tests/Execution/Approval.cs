using System.Runtime.CompilerServices;

namespace Pipeline.Tests.Execution;

/// <summary>
/// Compares text with an approved file under Approved. <c>APPROVE=1 dotnet test tests/Pipeline.Tests</c> writes the current text; read the diff before you
/// commit it.
/// </summary>
internal static class Approval
{
    public static void ShouldBeApproved(this string actual, string name, [CallerFilePath] string caller = "")
    {
        if (Environment.GetEnvironmentVariable("APPROVE") == "1")
        {
            File.WriteAllText(Path.Combine(Path.GetDirectoryName(caller)!, "Approved", $"{name}.txt"), actual);
            return;
        }

        string path = Path.Combine(AppContext.BaseDirectory, "Execution", "Approved", $"{name}.txt");
        string approved = File.Exists(path) ? File.ReadAllText(path) : string.Empty;
        actual.ShouldBe(approved, $"{name} differs from the approved text; if the change is intended, run once with APPROVE=1");
    }
}

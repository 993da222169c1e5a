using System.Reflection;
using Quayside.Messaging.Console;

namespace Messaging.Tests.Http.Web.Page;

public sealed class PageFilesTests
{
    /// <summary>Nothing minifies the page, so its source is what a browser loads.</summary>
    [Fact]
    public void Files_HaveAtMost80KiBTogether()
    {
        Assembly assembly = typeof(ConsoleOptions).Assembly;
        string[] names = [.. assembly.GetManifestResourceNames().Where(static name => name.StartsWith("Page/", StringComparison.Ordinal))];

        names.ShouldContain("Page/index.html");
        names.Sum(name =>
        {
            using Stream stream = assembly.GetManifestResourceStream(name)!;
            return stream.Length;
        }).ShouldBeLessThanOrEqualTo(81_920);
    }
}

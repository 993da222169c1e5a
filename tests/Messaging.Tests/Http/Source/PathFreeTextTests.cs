using Quayside.Messaging.Http;

namespace Messaging.Tests.Http.Source;

public sealed class PathFreeTextTests
{
    [Theory]
    [InlineData(null, null)]
    [InlineData("", "")]
    [InlineData("The store is slow.", "The store is slow.")]
    [InlineData("No space left on device : '/srv/worker/data/p/x.json'", "No space left on device : '…'")]
    [InlineData("Access to the path '/srv/my data/it's/x.json' is denied.", "Access to the path '…' is denied.")]
    [InlineData(
        "Dead letters cannot be written to '/srv/dead' (No space left on device : '/srv/dead/.tmp/x'). Free disk space.",
        "Dead letters cannot be written to '…' (No space left on device : '…'). Free disk space.")]
    [InlineData("Could not find a part of the path '/srv/a/cut off her", "Could not find a part of the path '…'")]
    [InlineData("Access to the path 'C:\\data\\x.json' is denied.", "Access to the path '…' is denied.")]
    [InlineData("Access to the path '\\\\host\\share\\x' is denied.", "Access to the path '…' is denied.")]
    [InlineData("open /srv/worker/data failed", "open '…' failed")]
    [InlineData("s3://bucket/a/b holds other bytes under this key.", "s3://bucket/a/b holds other bytes under this key.")]
    [InlineData("POST http://127.0.0.1:9200/_bulk: 503", "POST http://127.0.0.1:9200/_bulk: 503")]
    [InlineData("The key 'a/b/c' has no place.", "The key 'a/b/c' has no place.")]
    [InlineData("1/2/3", "1/2/3")]
    public void Of_AReason_HasNoPathOfThisMachine(string? text, string? expected) => PathFreeText.Of(text).ShouldBe(expected);
}
